(* claims: thm-4.3
   theorems: printed_step_leaves_the_ball first_step_lower_bound two_neurons printed_step_grows

   The first step of training with the printed step size: one training point x of norm 1, an
   adversary that can do nothing, the absolute loss, the comparison W* = W_0.  The step leaves the
   printed ball, and it throws the output across the label, farther and farther as m grows. *)

From Coq Require Import Reals Lra Lia.
Require Import Sums.
Open Scope R_scope.

(* The powers of Definition 3.1 and Theorem 4.3, at a real width m > 0. *)
Definition weight (m : R) : R := Rpower m (-(1/5)).                    (* |a_r| *)
Definition radius (K m : R) : R := K * Rpower m (-(3/5)).
Definition printed_step (eps m : R) : R := eps * Rpower m (-(1/5)).    (* eta *)

(* Algorithm 1 in one step: an active row w moves by -eta l' a_r x, with |l'| = 1 off the label. *)
Definition step (eta slope out : R) (w x : nat -> R) (j : nat) : R := w j - eta * slope * out * x j.

(* eta a = eps m^(-2/5) is more than K m^(-3/5) as soon as m^(1/5) > K/eps. *)
Theorem printed_step_leaves_the_ball d (K eps m slope out : R) (w x : nat -> R) :
  0 < eps <= K -> m > (K / eps) ^ 5 -> norm d x = 1 -> Rabs slope = 1 -> Rabs out = weight m ->
  norm d (minus (step (printed_step eps m) slope out w x) w) > radius K m.
Proof.
  intros He Hm Hx Hs Ho.
  assert (Hq : 1 <= K / eps) by (apply Rmult_le_reg_r with eps; [lra|]; field_simplify; lra).
  assert (Hm0 : 0 < m) by (pose proof (pow_R1_Rle (K / eps) 5 Hq); lra).
  replace (norm d (minus (step (printed_step eps m) slope out w x) w))
    with (norm d (fun j => (- printed_step eps m * slope * out) * x j)).
  2:{ unfold norm, dot, minus, step. f_equal. apply sum_ext. intros. ring. }
  rewrite norm_scal, Hx, !Rabs_mult, Rabs_Ropp, Hs, Ho. unfold printed_step, weight, radius.
  rewrite Rabs_pos_eq by (apply Rmult_le_pos; [lra|left; apply exp_pos]).
  replace (eps * Rpower m (-(1/5)) * 1 * Rpower m (-(1/5)) * 1)
    with (eps * (Rpower m (-(1/5)) * Rpower m (-(1/5)))) by ring.
  rewrite <- Rpower_plus.
  replace (-(1/5) + -(1/5)) with (-(3/5) + 1/5) by lra. rewrite Rpower_plus.
  assert (Hroot : K / eps < Rpower m (1/5)).
  { replace (K / eps) with (Rpower (K / eps) (INR 5 * (1/5))).
    2:{ replace (INR 5 * (1/5)) with 1 by (simpl; lra). apply Rpower_1. lra. }
    rewrite <- Rpower_mult, Rpower_pow by lra. unfold Rpower. apply exp_increasing.
    apply Rmult_lt_compat_l; [lra|]. apply ln_increasing; [apply pow_lt; lra | exact Hm]. }
  assert (K < eps * Rpower m (1/5)).
  { apply Rmult_lt_reg_r with (/ eps); [apply Rinv_0_lt_compat; lra|].
    replace (eps * Rpower m (1/5) * / eps) with (Rpower m (1/5)) by (field; lra). exact Hroot. }
  pose proof (exp_pos (-(3/5) * ln m)). unfold Rpower in *. nra.
Qed.

Section One_point.
Variables (m : nat) (tau y eta : R) (out z : nat -> R).
Hypotheses (Htau : 0 <= tau) (Heta : 0 < eta).

Definition f (v : nat -> R) : R := sum m (fun r => out r * (v r * above (v r) tau)).

(* The pre-activations after a step from above the label: |x| = 1 and the slope of the loss is 1. *)
Definition stepped (r : nat) : R := z r - eta * out r * above (z r) tau.

(* The mass that a step must move: active neurons whose sign pushes the output down. *)
Definition push : R :=
  sum m (fun r => above (z r) tau * (if Rlt_dec (out r) 0 then out r * out r else 0)).

(* An active neuron with a_r < 0 stays active and lowers f by eta a_r^2; an active one with a_r > 0
   loses eta a_r or falls silent, and lowers f too, because its term was positive. *)
Theorem first_step_lower_bound :
  y < f z -> eta * push - Rabs (f z - y) <= Rabs (f stepped - y).
Proof.
  intros Hy. rewrite (Rabs_pos_eq (f z - y)) by lra.
  assert (H : f stepped <= f z - eta * push).
  { unfold f, push. rewrite <- sum_scal, <- sum_minus. apply sum_le. intros r _.
    unfold stepped, above.
    destruct (Rlt_dec tau (z r)) as [A|A]; [|destruct (Rlt_dec tau _); lra].
    destruct (Rlt_dec (out r) 0) as [N|N].
    - assert (0 < eta * - out r) by (apply Rmult_lt_0_compat; lra).
      destruct (Rlt_dec tau _); nra.
    - assert (0 <= eta * out r) by (apply Rmult_le_pos; lra).
      assert (0 <= out r * (eta * out r)) by (apply Rmult_le_pos; lra).
      assert (0 <= out r * z r) by (apply Rmult_le_pos; lra).
      destruct (Rlt_dec tau _); nra. }
  rewrite Rabs_minus_sym. eapply Rle_trans; [|apply Rle_abs]. lra.
Qed.
End One_point.

(* The witness of the ledger in rationals: two neurons, z = (1, 3), a_r = -1/8, threshold 1/2,
   label -1, eta = 64.  The loss grows from 1/2 to 3/2, which is what the lower bound says. *)
Definition witness_z (r : nat) : R := match r with O => 1 | _ => 3 end.
Definition witness_out (r : nat) : R := -(1/8).
Definition witness_tau : R := 1/2.
Definition witness_label : R := -1.
Definition witness_eta : R := 64.

Theorem two_neurons :
  Rabs (f 2 witness_tau witness_out witness_z - witness_label) = 1/2 /\
  Rabs (f 2 witness_tau witness_out (stepped witness_tau witness_eta witness_out witness_z)
        - witness_label) = 3/2 /\
  witness_eta * push 2 witness_tau witness_out witness_z - 1/2 = 3/2.
Proof.
  unfold f, push, stepped, witness_tau, witness_label, witness_eta, witness_out; simpl.
  unfold above, witness_z.
  repeat match goal with |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); [|exfalso; lra] end.
  repeat split; [rewrite Rabs_pos_eq; lra | rewrite Rabs_left; lra | lra].
Qed.

(* In general: if at least the share c of the neurons is active with a_r < 0, one printed step moves
   the output by c eps m^(2/5), so that its loss passes every bound, and with it the left side of
   Theorem 4.3, |f_0 - y| + eps at W* = W_0. *)
Theorem printed_step_grows (m : nat) (tau y eps c : R) (out z : nat -> R) :
  (0 < m)%nat -> 0 <= tau -> 0 < eps ->
  (forall r, Rabs (out r) = weight (INR m)) ->
  c * INR m <= sum m (fun r => above (z r) tau * (if Rlt_dec (out r) 0 then 1 else 0)) ->
  y < f m tau out z ->
  c * eps * Rpower (INR m) (2/5) - Rabs (f m tau out z - y)
    <= Rabs (f m tau out (stepped tau (printed_step eps (INR m)) out z) - y).
Proof.
  intros Hm Htau He Ho Hc Hy. set (M := INR m). assert (HM : 0 < M) by now apply lt_0_INR.
  eapply Rle_trans; [|apply first_step_lower_bound; auto].
  2:{ unfold printed_step. apply Rmult_lt_0_compat; [lra | apply exp_pos]. }
  apply Rplus_le_compat_r.
  assert (E : push m tau out z = weight M * weight M
     * sum m (fun r => above (z r) tau * (if Rlt_dec (out r) 0 then 1 else 0))).
  { unfold push. rewrite <- sum_scal. apply sum_ext. intros r _. specialize (Ho r). fold M in Ho.
    destruct (Rlt_dec (out r) 0); [|ring]. rewrite <- Ho, Rabs_left by assumption. ring. }
  rewrite E. unfold printed_step, weight.
  set (S := sum m _) in *.
  replace (c * eps * Rpower M (2/5)) with (eps * Rpower M (-(3/5)) * (c * M)).
  - replace (eps * Rpower M (-(1/5)) * (Rpower M (-(1/5)) * Rpower M (-(1/5)) * S))
      with (eps * (Rpower M (-(1/5)) * Rpower M (-(1/5)) * Rpower M (-(1/5))) * S) by ring.
    rewrite <- !Rpower_plus. replace (-(1/5) + -(1/5) + -(1/5)) with (-(3/5)) by lra.
    apply Rmult_le_compat_l; [|exact Hc]. apply Rmult_le_pos; [lra | left; apply exp_pos].
  - replace (2/5) with (-(3/5) + 1) by lra. rewrite Rpower_plus, Rpower_1 by exact HM. ring.
Qed.
