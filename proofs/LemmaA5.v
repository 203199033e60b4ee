(* claim: lem-a.5 lem-a.5-r
   theorems: lemma_a5_fails lemma_a5_repaired lemma_a5_upper lemma_a5_range

   Lemma A.5: the mass of the window [-eta, eta] under N(0, sigma^2) lies below the line
   4/5 eta/sigma always, and above 2/3 eta/sigma only up to about 1.0793 standard deviations. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Open Scope R_scope.

(* The density of N(0, sigma^2), and P[|X| <= eta]. *)
Definition density (sigma x : R) : R := exp (- x ^ 2 / (2 * sigma ^ 2)) / (sigma * sqrt (2 * PI)).
Definition mass (sigma eta : R) : R := RInt (density sigma) (- eta) eta.

(* The two slopes of the lemma, and where it is true. *)
Definition lower_slope : R := 2/3.
Definition upper_slope : R := 4/5.
Definition witness_ratio : R := 2.           (* eta/sigma at the counterexample *)
Definition holds_up_to : R := 10793/10000.
Definition fails_from : R := 10794/10000.

(* A window of u standard deviations, as a share of u: 2 phi(u s), averaged over s in [0, 1]. *)
Definition share (u : R) : R := RInt (fun s => exp (- (u * s) ^ 2 / 2)) 0 1 * (2 / sqrt (2 * PI)).

Lemma root_pos : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.

Lemma bell_integrable u a b : ex_RInt (fun s => exp (- (u * s) ^ 2 / 2)) a b.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros s _.
  apply (ex_derive_continuous (fun s => exp (- (u * s) ^ 2 / 2))). auto_derive. exact I.
Qed.

(* x = sigma u s carries the window to [-1, 1], and the bell curve is even. *)
Lemma mass_share sigma eta : 0 < sigma -> mass sigma eta = eta / sigma * share (eta / sigma).
Proof.
  intros Hs. pose proof root_pos as Hr. unfold mass, share. set (u := eta / sigma).
  assert (Heta : eta = u * sigma) by (unfold u; field; lra).
  assert (C := RInt_comp_lin (density sigma) eta 0 (-1) 1).
  replace (eta * -1 + 0) with (- eta) in C by ring. replace (eta * 1 + 0) with eta in C by ring.
  rewrite <- C; clear C.
  2:{ apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros s _.
      apply (ex_derive_continuous (density sigma)). unfold density. auto_derive.
      exact I. }
  rewrite (RInt_ext _ (fun s => scal (u / sqrt (2 * PI)) (exp (- (u * s) ^ 2 / 2)))).
  2:{ intros s _. unfold density, scal; simpl; unfold mult; simpl. rewrite Heta.
      replace (- ((u * sigma * s + 0) * ((u * sigma * s + 0) * 1)) / (2 * (sigma * (sigma * 1))))
        with (- (u * s * (u * s * 1)) / 2) by (field; lra). field. lra. }
  rewrite (RInt_scal (V := R_CompleteNormedModule)) by apply bell_integrable.
  rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) _ (-1) 0 1) by apply bell_integrable.
  assert (Even : RInt (fun s => exp (- (u * s) ^ 2 / 2)) (-1) 0
    = RInt (fun s => exp (- (u * s) ^ 2 / 2)) 0 1).
  { assert (C := RInt_comp_lin (fun s => exp (- (u * s) ^ 2 / 2)) (-1) 0 1 0).
    replace (-1 * 1 + 0) with (-1) in C by ring. replace (-1 * 0 + 0) with 0 in C by ring.
    rewrite <- C by apply bell_integrable.
    rewrite (RInt_scal (V := R_CompleteNormedModule) (fun s => exp (- (u * (-1 * s + 0)) ^ 2 / 2)) 1 0 (-1)).
    2:{ apply (ex_RInt_ext (V := R_CompleteNormedModule) (fun s => exp (- (u * s) ^ 2 / 2)));
          [|apply bell_integrable]. intros s _. f_equal. f_equal. ring. }
    rewrite <- (opp_RInt_swap (V := R_CompleteNormedModule)).
    2:{ apply (ex_RInt_ext (V := R_CompleteNormedModule) (fun s => exp (- (u * s) ^ 2 / 2)));
          [|apply bell_integrable]. intros s _. f_equal. f_equal. ring. }
    rewrite (RInt_ext (fun s => exp (- (u * (-1 * s + 0)) ^ 2 / 2))
      (fun s => exp (- (u * s) ^ 2 / 2))).
    2:{ intros s _. f_equal. field. }
    unfold scal, opp; simpl; unfold mult; simpl. ring. }
  rewrite Even. unfold scal, plus; simpl; unfold mult; simpl. field. lra.
Qed.

(* The share falls as the window widens, from 2 phi(0) on. *)
Lemma share_falls u v : 0 <= u <= v -> share v <= share u.
Proof.
  intros H. unfold share. apply Rmult_le_compat_r.
  - left. apply Rdiv_lt_0_compat; [lra | apply root_pos].
  - apply RInt_le; [lra | apply bell_integrable | apply bell_integrable|]. intros s Hs.
    assert (0 <= u * s <= v * s) by nra.
    destruct (Req_dec (u * s) (v * s)) as [->|]; [lra|].
    left. apply exp_increasing. nra.
Qed.

Lemma share_at_0 : share 0 < upper_slope.
Proof.
  unfold share, upper_slope.
  rewrite (RInt_ext _ (fun _ => 1)).
  - rewrite (RInt_const (V := R_CompleteNormedModule)). unfold scal; simpl; unfold mult; simpl.
    interval with (i_prec 60).
  - intros s _. replace (- (0 * s) ^ 2 / 2) with 0 by field. apply exp_0.
Qed.

(* Both ends of the range, by rigorous quadrature of the bell curve. *)
Lemma share_holds : lower_slope < share holds_up_to.
Proof.
  unfold share, lower_slope, holds_up_to.
  apply Rlt_le_trans with (8355574/10000000 * (2 / sqrt (2 * PI))); [interval with (i_prec 60)|].
  apply Rmult_le_compat_r; [interval with (i_prec 60) | integral with (i_prec 60)].
Qed.

Lemma share_fails : share fails_from < lower_slope.
Proof.
  unfold share, lower_slope, fails_from.
  apply Rle_lt_trans with (8355318/10000000 * (2 / sqrt (2 * PI))); [|interval with (i_prec 60)].
  apply Rmult_le_compat_r; [interval with (i_prec 60) | integral with (i_prec 60)].
Qed.

Section Window.
Variables sigma eta : R.
Hypotheses (Hsigma : 0 < sigma) (Heta : 0 < eta).

Lemma ratio_pos : 0 < eta / sigma.
Proof. now apply Rdiv_lt_0_compat. Qed.

(* The upper half is true for every eta > 0. *)
Theorem lemma_a5_upper : mass sigma eta < upper_slope * (eta / sigma).
Proof.
  rewrite mass_share by exact Hsigma. pose proof ratio_pos.
  pose proof (share_falls 0 (eta / sigma) ltac:(lra)). pose proof share_at_0. nra.
Qed.

(* The lower half holds up to 1.0793 and fails from 1.0794 standard deviations on. *)
Theorem lemma_a5_range :
  (eta / sigma <= holds_up_to -> lower_slope * (eta / sigma) < mass sigma eta) /\
  (fails_from <= eta / sigma -> mass sigma eta < lower_slope * (eta / sigma)).
Proof.
  rewrite mass_share by exact Hsigma. pose proof ratio_pos. split; intros Hu.
  - pose proof (share_falls (eta / sigma) holds_up_to ltac:(lra)). pose proof share_holds. nra.
  - pose proof (share_falls fails_from (eta / sigma) ltac:(unfold fails_from in *; lra)).
    pose proof share_fails. nra.
Qed.

(* Lemma A.5, repaired: with the hypothesis eta <= sigma both halves hold. *)
Theorem lemma_a5_repaired :
  eta <= sigma -> lower_slope * (eta / sigma) < mass sigma eta < upper_slope * (eta / sigma).
Proof.
  intros H. split; [|exact lemma_a5_upper]. apply lemma_a5_range.
  unfold holds_up_to. apply Rle_trans with 1; [|lra].
  apply Rmult_le_reg_r with sigma; [exact Hsigma|]. field_simplify; lra.
Qed.
End Window.

(* The printed lemma fails: at two standard deviations it asks for more than 4/3. *)
Theorem lemma_a5_fails sigma : 0 < sigma ->
  ~ lower_slope * (witness_ratio * sigma / sigma) < mass sigma (witness_ratio * sigma).
Proof.
  intros Hs H.
  destruct (lemma_a5_range sigma (witness_ratio * sigma) Hs ltac:(unfold witness_ratio; lra))
    as [_ F].
  assert (E : witness_ratio * sigma / sigma = witness_ratio) by (field; lra).
  rewrite E in *. specialize (F ltac:(unfold witness_ratio, fails_from; lra)). lra.
Qed.
