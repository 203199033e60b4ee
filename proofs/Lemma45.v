(* claims: lem-4.5
   theorems: q0_exceeds_m q0_is_no_smaller_power

   Lemma 4.5 bounds the active neurons by Q_0 = 2 m exp(-K^2/(4 m^(1/5))) and calls that O(m^c)
   with c < 1.  For a fixed K it is more than m, all neurons, from a width on that we can name. *)

From Coq Require Import Reals Lra.
Open Scope R_scope.

Definition Q0 (K m : R) : R := 2 * m * exp (- (K ^ 2 / (4 * Rpower m (1/5)))).

(* From here on the printed bound says nothing. *)
Definition empty_from (K : R) : R := (K ^ 2 / (4 * ln 2)) ^ 5.

Lemma ln2_pos : 0 < ln 2.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

(* x^5 < m is x < m^(1/5). *)
Lemma fifth_root x m : 0 <= x -> x ^ 5 < m -> x < Rpower m (1/5).
Proof.
  intros [Hx | <-] Hm; [|apply exp_pos].
  replace x with (Rpower (x ^ 5) (1/5)).
  - unfold Rpower. apply exp_increasing. apply Rmult_lt_compat_l; [lra|].
    apply ln_increasing; [now apply pow_lt | exact Hm].
  - rewrite <- Rpower_pow, Rpower_mult by exact Hx.
    replace (INR 5 * (1/5)) with 1 by (simpl; lra). now apply Rpower_1.
Qed.

(* The exponent is less than ln 2 as soon as m^(1/5) > K^2/(4 ln 2). *)
Theorem q0_exceeds_m K m : m > empty_from K -> Q0 K m > m.
Proof.
  unfold empty_from, Q0. intros Hm. pose proof ln2_pos as H2.
  assert (H0 : 0 <= K ^ 2 / (4 * ln 2)).
  { apply Rmult_le_pos; [apply pow2_ge_0 | left; apply Rinv_0_lt_compat; lra]. }
  assert (Hm0 : 0 < m) by (pose proof (pow_le _ 5 H0); lra).
  pose proof (fifth_root _ m H0 Hm) as Hr. set (r := Rpower m (1/5)) in *.
  assert (Hr0 : 0 < r) by lra.
  assert (E : exp (- (K ^ 2 / (4 * r))) > / 2).
  { rewrite <- (exp_ln (/ 2)) by lra. rewrite ln_Rinv by lra. apply exp_increasing.
    apply Ropp_lt_contravar. apply Rmult_lt_reg_r with (r / ln 2).
    - now apply Rdiv_lt_0_compat.
    - replace (K ^ 2 / (4 * r) * (r / ln 2)) with (K ^ 2 / (4 * ln 2)) by (field; lra).
      replace (ln 2 * (r / ln 2)) with r by (field; lra). exact Hr. }
  nra.
Qed.

(* So no power below 1 bounds it, whatever the constant: Q_0 = O(m^c) fails for every c < 1. *)
Theorem q0_is_no_smaller_power K C c : 0 < C -> c < 1 ->
  exists M, forall m, m > M -> Q0 K m > C * Rpower m c.
Proof.
  intros HC Hc. exists (Rmax (empty_from K) (Rmax 1 (Rpower C (/ (1 - c))))). intros m Hm.
  assert (m > empty_from K) by (eapply Rle_lt_trans; [apply Rmax_l | exact Hm]).
  assert (Hm' : m > Rmax 1 (Rpower C (/ (1 - c))))
    by (eapply Rle_lt_trans; [apply Rmax_r|exact Hm]).
  assert (Hm1 : m > 1) by (eapply Rle_lt_trans; [apply Rmax_l | exact Hm']).
  assert (Hroot : Rpower C (/ (1 - c)) < m) by (eapply Rle_lt_trans; [apply Rmax_r | exact Hm']).
  eapply Rlt_trans; [|apply q0_exceeds_m; assumption].
  rewrite <- (Rpower_1 m) at 2 by lra. replace 1 with (1 - c + c) by ring.
  rewrite Rpower_plus. apply Rmult_lt_compat_r; [apply exp_pos|].
  rewrite <- (exp_ln C) by exact HC. unfold Rpower in *. apply exp_increasing.
  apply ln_increasing in Hroot; [|apply exp_pos]. rewrite ln_exp in Hroot.
  apply Rmult_lt_reg_l with (/ (1 - c)); [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. exact Hroot.
Qed.
