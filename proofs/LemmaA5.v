(* claims: lem-a.5 lem-a.5-r
   theorems: lemma_a5_fails lemma_a5_repaired lemma_a5_upper lemma_a5_range

   Lemma A.5: the mass of the window [-eta, eta] under N(0, sigma^2) lies below the line
   4/5 eta/sigma always, and above 2/3 eta/sigma exactly below u* = 1.0793572473...
   standard deviations. *)

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
Definition holds_up_to : R := 10793572473/10000000000.
Definition fails_from : R := 10793572474/10000000000.

(* A window of u standard deviations, as a share of u: 2 phi(u s), averaged over s in [0, 1]. *)
Definition share (u : R) : R := RInt (fun s => exp (- (u * s) ^ 2 / 2)) 0 1 * (2 / sqrt (2 * PI)).

Lemma root_pos : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.

Lemma bell_continuous u s : continuous (fun s => exp (- (u * s) ^ 2 / 2)) s.
Proof. apply (ex_derive_continuous (fun s => exp (- (u * s) ^ 2 / 2))). auto_derive. exact I. Qed.

Lemma bell_integrable u a b : ex_RInt (fun s => exp (- (u * s) ^ 2 / 2)) a b.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply bell_continuous.
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
    rewrite (RInt_scal (V := R_CompleteNormedModule)
      (fun s => exp (- (u * (-1 * s + 0)) ^ 2 / 2)) 1 0 (-1)).
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

(* Both digits of u*, by rigorous quadrature of the bell curve. *)
Lemma share_holds : lower_slope < share holds_up_to.
Proof.
  unfold share, lower_slope, holds_up_to.
  apply Rlt_le_trans with (83554275821045/100000000000000 * (2 / sqrt (2 * PI)));
    [interval with (i_prec 90)|].
  apply Rmult_le_compat_r; [interval with (i_prec 60)|].
  integral with (i_prec 90, i_relwidth 50).
Qed.

Lemma share_fails : share fails_from < lower_slope.
Proof.
  unfold share, lower_slope, fails_from.
  apply Rle_lt_trans with (83554275819/100000000000 * (2 / sqrt (2 * PI)));
    [|interval with (i_prec 90)].
  apply Rmult_le_compat_r; [interval with (i_prec 60)|].
  integral with (i_prec 90, i_relwidth 50).
Qed.

(* The share falls strictly, and by no more than a multiple of v^2 - u^2, so it has no jumps. *)
Lemma share_falls_strictly u v : 0 <= u < v -> share v < share u.
Proof.
  intros H. unfold share. apply Rmult_lt_compat_r.
  - apply Rdiv_lt_0_compat; [lra | apply root_pos].
  - apply RInt_lt; [lra | intros; apply bell_continuous | intros; apply bell_continuous|].
    intros s Hs. apply exp_increasing.
    assert (0 <= u * s) by (apply Rmult_le_pos; lra).
    assert (u * s < v * s) by (apply Rmult_lt_compat_r; lra). nra.
Qed.

Lemma share_falls_slowly u v : 0 <= u <= v -> share u - share v <= v ^ 2 - u ^ 2.
Proof.
  intros H. unfold share. pose proof root_pos as Hr.
  assert (L : RInt (fun s => exp (- (u * s) ^ 2 / 2)) 0 1
    <= RInt (fun s => exp (- (v * s) ^ 2 / 2) + (v ^ 2 - u ^ 2) / 2) 0 1).
  { apply RInt_le; [lra | apply bell_integrable | |].
    - apply (ex_RInt_plus (V := R_NormedModule)); [apply bell_integrable | apply ex_RInt_const].
    - intros s Hs. set (d := (v ^ 2 - u ^ 2) / 2).
      assert (Hd : 0 <= d) by (unfold d; pose proof (pow_incr u v 2 H); lra).
      assert (0 <= s ^ 2 <= 1) by nra.
      replace (- (u * s) ^ 2 / 2) with (- (v * s) ^ 2 / 2 + d * s ^ 2) by (unfold d; field).
      assert (Hs2 : 0 <= d * s ^ 2 <= d) by (split; [apply Rmult_le_pos; nra | nra]).
      set (b := - (v * s) ^ 2 / 2). set (k := d * s ^ 2) in *.
      assert (B : exp b * exp k <= 1).
      { rewrite <- exp_plus, <- exp_0. unfold b, k, d.
        destruct (Req_dec (- (v * s) ^ 2 / 2 + (v ^ 2 - u ^ 2) / 2 * s ^ 2) 0) as [->|N]; [lra|].
        left. apply exp_increasing. nra. }
      rewrite exp_plus.
      (* exp(b + k) (1 - exp(-k)) <= 1 - exp(-k) <= k *)
      assert (K : 1 - exp (- k) <= k) by (pose proof (exp_ineq1_le (- k)); lra).
      assert (K0 : 0 <= 1 - exp (- k)).
      { rewrite <- exp_0. destruct Hs2 as [[Hk | <-] _]; [|rewrite Ropp_0; lra].
        enough (exp (- k) < exp 0) by lra. apply exp_increasing. lra. }
      assert (E : exp k * exp (- k) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
      assert (exp b * exp k - exp b = exp b * exp k * (1 - exp (- k))).
      { replace (exp b * exp k * (1 - exp (- k)))
          with (exp b * exp k - exp b * (exp k * exp (- k))) by ring. rewrite E. ring. }
      assert (exp b * exp k * (1 - exp (- k)) <= 1 * (1 - exp (- k)))
        by (apply Rmult_le_compat_r; assumption).
      lra. }
  assert (Sum : RInt (fun s => exp (- (v * s) ^ 2 / 2) + (v ^ 2 - u ^ 2) / 2) 0 1
    = RInt (fun s => exp (- (v * s) ^ 2 / 2)) 0 1 + (v ^ 2 - u ^ 2) / 2).
  { apply (is_RInt_unique (V := R_CompleteNormedModule)).
    pose proof (RInt_correct (V := R_CompleteNormedModule) _ _ _ (bell_integrable v 0 1)) as Q.
    pose proof (is_RInt_const (V := R_NormedModule) 0 1 ((v ^ 2 - u ^ 2) / 2)) as K.
    evar_last; [exact (is_RInt_plus (V := R_NormedModule) _ _ _ _ _ _ Q K)|].
    unfold plus, scal; simpl; unfold mult; simpl. ring. }
  rewrite Sum in L.
  assert (C : 2 / sqrt (2 * PI) <= 2).
  { apply Rmult_le_reg_r with (sqrt (2 * PI)); [exact Hr|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. interval with (i_prec 60). }
  assert (0 < 2 / sqrt (2 * PI)) by (apply Rdiv_lt_0_compat; lra).
  set (p := RInt (fun s => exp (- (u * s) ^ 2 / 2)) 0 1) in *.
  set (q := RInt (fun s => exp (- (v * s) ^ 2 / 2)) 0 1) in *.
  set (c := 2 / sqrt (2 * PI)) in *.
  assert (P : (p - q) * c <= (v ^ 2 - u ^ 2) / 2 * c) by (apply Rmult_le_compat_r; lra).
  assert ((v ^ 2 - u ^ 2) / 2 * c <= (v ^ 2 - u ^ 2) / 2 * 2).
  { apply Rmult_le_compat_l; [pose proof (pow_incr u v 2 H); lra | exact C]. }
  lra.
Qed.

(* So there is one point up to which, and no further, it is above 2/3. *)
Lemma crossing : exists u_star, holds_up_to <= u_star <= fails_from /\
  forall u, 0 < u -> (lower_slope < share u <-> u < u_star).
Proof.
  pose proof share_holds as H1. pose proof share_fails as H2.
  set (S := fun u => 0 <= u /\ lower_slope < share u).
  assert (Top : forall u, S u -> u <= fails_from).
  { intros u [Hu Hl]. destruct (Rle_dec u fails_from) as [|N]; [assumption|].
    pose proof (share_falls fails_from u ltac:(unfold fails_from in *; lra)). lra. }
  destruct (completeness S) as [u_star [Up Least]].
  - exists fails_from. intros u. apply Top.
  - exists holds_up_to. split; [unfold holds_up_to; lra | exact H1].
  - assert (Low : holds_up_to <= u_star).
    { apply Up. split; [unfold holds_up_to; lra | exact H1]. }
    exists u_star. split; [split; [exact Low | now apply Least]|]. intros u Hu. split.
    + intros Hl. destruct (Rlt_dec u u_star) as [|N]; [assumption|]. exfalso.
      (* a little beyond u the share would still be above 2/3 *)
      assert (Hu_star : u = u_star) by (apply Rle_antisym; [apply Up; split; lra | lra]).
      set (gap := share u - lower_slope). assert (Hg : 0 < gap) by (unfold gap; lra).
      set (h := Rmin 1 (gap / (4 * (u + 1)))).
      assert (Hh : 0 < h) by (apply Rmin_pos; [lra | apply Rdiv_lt_0_compat; lra]).
      assert (Hh1 : h <= 1) by apply Rmin_l.
      assert (Hh2 : h * (4 * (u + 1)) <= gap).
      { apply Rle_trans with (gap / (4 * (u + 1)) * (4 * (u + 1))).
        - apply Rmult_le_compat_r; [lra | apply Rmin_r].
        - right. field. lra. }
      pose proof (share_falls_slowly u (u + h) ltac:(lra)) as Slow.
      assert (S (u + h)) by (split; [lra|]; unfold gap in *; nra).
      specialize (Up (u + h) H). lra.
    + intros Hl. destruct (Rle_dec (share u) lower_slope) as [N|N]; [|lra]. exfalso.
      enough (u_star <= u) by lra. apply Least. intros v [Hv Hlv].
      destruct (Rle_dec v u) as [|M]; [assumption|].
      pose proof (share_falls u v ltac:(lra)). lra.
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

(* Lemma A.5, repaired: with the hypothesis eta <= sigma both halves hold. *)
Theorem lemma_a5_repaired :
  eta <= sigma -> lower_slope * (eta / sigma) < mass sigma eta < upper_slope * (eta / sigma).
Proof.
  intros H. split; [|exact lemma_a5_upper]. rewrite mass_share by exact Hsigma.
  assert (Hu : eta / sigma <= holds_up_to).
  { unfold holds_up_to. apply Rle_trans with 1; [|lra].
    apply Rmult_le_reg_r with sigma; [exact Hsigma|]. field_simplify; lra. }
  pose proof ratio_pos. pose proof (share_falls (eta / sigma) holds_up_to ltac:(lra)).
  pose proof share_holds. nra.
Qed.
End Window.

(* The left inequality holds exactly below u*. *)
Theorem lemma_a5_range : exists u_star, holds_up_to <= u_star <= fails_from /\
  forall sigma eta, 0 < sigma -> 0 < eta ->
    (lower_slope * (eta / sigma) < mass sigma eta <-> eta / sigma < u_star).
Proof.
  destruct crossing as [u_star [Hd H]]. exists u_star. split; [exact Hd|].
  intros sigma eta Hs He. rewrite mass_share by exact Hs. pose proof (ratio_pos sigma eta Hs He).
  rewrite <- (H (eta / sigma)) by assumption.
  rewrite (Rmult_comm lower_slope). split; intros L; [now apply Rmult_lt_reg_l in L|].
  now apply Rmult_lt_compat_l.
Qed.

(* The printed lemma fails: at two standard deviations it asks for more than 4/3. *)
Theorem lemma_a5_fails sigma : 0 < sigma ->
  ~ lower_slope * (witness_ratio * sigma / sigma) < mass sigma (witness_ratio * sigma).
Proof.
  intros Hs. destruct lemma_a5_range as [u_star [Hd H]].
  rewrite (H sigma (witness_ratio * sigma)) by (unfold witness_ratio; lra).
  replace (witness_ratio * sigma / sigma) with witness_ratio by (field; lra).
  unfold witness_ratio, fails_from in *. lra.
Qed.
